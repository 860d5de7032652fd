"""Whether anybody was told what it may not know: what was heard, what was true, and the search of one for the other."""
