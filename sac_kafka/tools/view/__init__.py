"""Render a lineage graph as an HTML page, or as Mermaid or DOT text."""
