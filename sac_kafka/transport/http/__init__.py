"""Send messages over HTTP: to Atlas, and to the Data Map of Microsoft Purview; `failures` explains what fails."""
