"""causal-learn, accelerated: its `pc` on lagged variables, and its VARLiNGAM.

causal-learn is an optional package; nothing here imports it before one of its own objects turns up.
"""
