/**
 * No response: the browser is offline, the server is down or the connection broke. The outcome of a POST is unknown.
 */
export class Unreachable extends Error {
  override readonly name = 'Unreachable';
}
