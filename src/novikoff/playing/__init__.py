"""Playing: runs, ledgers and the loop between them."""
