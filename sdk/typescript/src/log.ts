/** Receives the messages of a client: a sentence and the values that belong to it. `console` is one. */
export interface Logger {
  debug(message: string, values?: Readonly<Record<string, unknown>>): void;
  info(message: string, values?: Readonly<Record<string, unknown>>): void;
  warn(message: string, values?: Readonly<Record<string, unknown>>): void;
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
