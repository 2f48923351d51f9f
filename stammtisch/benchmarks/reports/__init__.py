"""What a suite showed, as a page, pictures, tables and JSON."""
