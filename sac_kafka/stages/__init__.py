"""Process every outcome between an input and an output: current names, rules, counts, schedule."""
