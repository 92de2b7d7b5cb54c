"""How texts and cells are read: what their characters, references and escapes stand for."""
