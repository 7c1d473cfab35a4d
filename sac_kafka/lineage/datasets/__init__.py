"""What is read and what is written: from relations, tables and commands to datasets."""
