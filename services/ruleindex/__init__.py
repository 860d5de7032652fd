"""The rules index: each rule id with the code and the cases that cite it, made from the texts themselves."""
