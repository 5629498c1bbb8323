'use strict'

// A command cannot do what it was asked for; the message is all there is to say.
class CommandError extends Error {}

exports.CommandError = CommandError
