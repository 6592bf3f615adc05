/** Receives the messages of a client: a sentence and the values that belong to it. `console` is one. */
export interface Logger {
  /** Receives refusals that the client handles itself. */
  debug(message: string, values?: Readonly<Record<string, unknown>>): void;
  /** Receives the course of a bot, and interruptions of streams. */
  info(message: string, values?: Readonly<Record<string, unknown>>): void;
  /** Receives repetitions of calls, each with its reason. */
  warn(message: string, values?: Readonly<Record<string, unknown>>): void;
  /** Receives faults; the client itself throws errors in place of messages. */
  error(message: string, values?: Readonly<Record<string, unknown>>): void;
}

/** Writes to the console, without the messages for debugging. */
export const consoleLogger: Logger = {
  debug: () => undefined,
  info: (...message) => console.info(...message),
  warn: (...message) => console.warn(...message),
  error: (...message) => console.error(...message),
};

/** Discards all messages. */
export const silentLogger: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};
