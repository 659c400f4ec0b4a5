"""Row lives: invented people with their folders, what they had to be told, and how much of it the program told."""
