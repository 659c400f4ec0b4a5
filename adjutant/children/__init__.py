"""GROUND. Other programs: started, bounded and walled in here, whoever asks for them."""
