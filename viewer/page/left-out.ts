// In place of what the diff component could load and the page never asks for.

export default {}
