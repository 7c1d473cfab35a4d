"""The asset that a dataset is: a file a family of sources, each with a function from dataset to `Asset`."""
