"""The user's own rules: what assets are called, written in TOML, asked before any rule of the package."""
