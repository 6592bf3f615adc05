// The client of Roshambo: every operation of the service typed, bots, runs against the house, and the offline verification
// of proofs. It runs in Node.js 20 and newer, and in browsers; `roshambo/node` has the stores in files, and
// `roshambo/verify` all of the verifier.

export { Bot, type BotOptions, type History, type RunOptions, type Strategy } from './bot.js';
export type { CallOptions, HeldOptions } from './call.js';
export { Client, type ClientOptions, type VerifyOptions } from './client.js';
export { result, rounds, sides, type Round, type Side } from './duels.js';
export {
  AnswerError,
  Conflict,
  ConnectionError,
  Forbidden,
  InvalidRequest,
  NotFound,
  RateLimited,
  ReceiptError,
  RoshamboError,
  ServiceError,
  StateError,
  TextsError,
  Unauthenticated,
  Unavailable,
} from './errors.js';
export { House, type HouseOptions } from './house.js';
export { consoleLogger, silentLogger, type Logger } from './log.js';
export { contract, Operations } from './operations.js';
export type * from './operations.js';
export type { RateLimit } from './pace.js';
export { Paged } from './paged.js';
export {
  localReceipts,
  localState,
  memoryReceipts,
  memoryState,
  receiptLine,
  type ReceiptStore,
  type StateStore,
} from './stores.js';
export type { StreamEvent } from './streams.js';
export { metaOf, type Fetch, type Meta } from './transport.js';
export type * from './types.js';
export { asText, verifyProof, type Check, type Move, type Report } from './verify.js';
