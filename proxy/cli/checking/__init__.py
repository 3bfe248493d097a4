"""Measures what a judge or a checker changes on natural answers with the citations of their models."""
