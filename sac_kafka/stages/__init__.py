"""What every outcome passes between an input and an output: current names, rules, counts, schedule."""
