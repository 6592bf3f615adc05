// Takes the place of start.ts in unit tests: Node has no such workers, and the same calls go over a channel.

import { serve, type Port } from './calls.ts';
import { library } from './library.ts';

export function start(): Promise<Port> {
  const { port1, port2 } = new MessageChannel();
  serve(port1, library);
  for (const port of [port1, port2]) port.start();
  return Promise.resolve(port2);
}
