"""Questions and sentences as people put them, of which kind each is, and the weights that are learnt from them."""
