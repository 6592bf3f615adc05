// Written by hand after the wire shapes until the contract is committed; then generated from api/openapi.yaml.

interface Ok<T> {
  responses: { 200: { content: { 'application/json': T } } };
}
interface Get<T, Path = undefined, Query = undefined> {
  get: Ok<T> & { parameters: { path: Path; query?: Query } };
  post?: never;
}
interface Post<T, Body = undefined, Path = undefined> {
  get?: never;
  post: Ok<T> & { parameters: { path: Path; query?: never }; requestBody?: { content: { 'application/json': Body } } };
}

type Move = 'rock' | 'paper' | 'scissors';
type Outcome = 'win' | 'loss' | 'tie';

interface Account {
  username: string;
  short_address: string;
  address: string;
  kind: 'guest' | 'account' | 'bot';
  created_at: string;
}
interface EntryOption {
  entry: 'auto' | 'fee' | 'free' | 'burn' | 'daily';
  available: boolean;
  cost: number;
  left: number | null;
  reason: string | null;
}
interface Commitment {
  commitment: string;
  tx_hash: string;
  height: number | null;
}
interface Faucet {
  amount: number;
  below: number;
  available: boolean;
  next_at: string | null;
}
interface TierReached {
  tier: number;
  material: string;
  value: number;
}
interface Throw {
  n: number;
  move: Move;
  entropy: string;
  house: Move;
  outcome: Outcome;
  seed: string;
}
interface Run {
  id: string;
  account: string;
  status: 'active' | 'deciding' | 'claimed' | 'lost' | 'abandoned';
  entry: string;
  first_tier: number;
  cleared: number;
  claimable_tier: TierReached | null;
  client_seed: string;
  commitment: string;
  throws: Throw[];
  next_throw_at: string | null;
  started_at: string;
  ended_at: string | null;
  token_id: number | null;
  commit_tx: string;
  start_tx: string;
  end_tx: string | null;
}
interface Me {
  account: Account;
  balance: number;
  entry_options: EntryOption[];
  active_run: Run | null;
  next_commitment: Commitment;
  csrf_token: string | null;
  faucet: Faucet;
}
interface Transfer {
  asset: 'coin' | 'token';
  from: string | null;
  to: string | null;
  amount?: number | null;
  token_id?: number | null;
  tier?: number | null;
}
interface BlockRow {
  height: number;
  hash: string;
  prev: string;
  merkle_root: string;
  tx_count: number;
  time: string;
}
interface TxRow {
  hash: string;
  raw: string;
  kind: string;
  index: number | null;
  height?: number | null;
  actor: string | null;
  time: string;
  summary: string;
}

export interface paths {
  '/api/guest': Post<{ account: Account; balance: number; csrf_token: string }>;
  '/api/me': Get<Me>;
  '/api/faucet': Post<{ balance: number; amount: number; next_at: string; tx_hash: string }>;
  '/api/runs': Post<
    { run: Run; next_commitment: Commitment; balance: number; tx_hash: string },
    { entry?: EntryOption['entry']; client_seed?: string | null; token_id?: number | null }
  >;
  '/api/runs/active': Get<{ run: Run | null }>;
  '/api/runs/{run_id}': Get<{ run: Run }, { run_id: string }>;
  '/api/runs/{run_id}/throw': Post<
    {
      run: Run;
      throw: { n: number; move: Move; entropy: string; house_move: Move; outcome: Outcome; seed: string; next_throw_at: string | null };
      outcome: Outcome;
      seed: string;
      tx_hash: string | null;
    },
    { move: Move | 'r' | 'p' | 's'; entropy?: string | null },
    { run_id: string }
  >;
  '/api/runs/{run_id}/continue': Post<{ run: Run }, undefined, { run_id: string }>;
  '/api/runs/{run_id}/claim': Post<
    { run: Run; token: { token_id: number; tier: number; material: string; value: number }; tx_hash: string },
    undefined,
    { run_id: string }
  >;
  '/api/runs/{run_id}/abandon': Post<{ run: Run; tx_hash: string }, undefined, { run_id: string }>;
  '/api/tiers': Get<{
    tiers: TierReached[];
    entry_fee: number;
    starting_balance: number;
    faucet_amount: number;
    throw_spacing_ms: number;
    rules_tx: string;
  }>;
  '/api/chain/head': Get<{
    head: {
      height: number;
      hash: string;
      time: string;
      transactions: number;
      pending: number;
      origin: string;
      verifier_key: string;
      checkpoint: string;
    };
  }>;
  '/api/chain/blocks': Get<
    { blocks: BlockRow[]; next: string | null },
    undefined,
    { before?: number; limit?: number; cursor?: string }
  >;
  '/api/chain/blocks/{height}': Get<{ block: BlockRow & { raw: string; transactions: TxRow[] } }, { height: number }>;
  '/api/chain/tx/{tx_hash}': Get<
    { transaction: TxRow & { status: 'pending' | 'sealed'; height: number | null; nonce: number; transfers: Transfer[] } },
    { tx_hash: string }
  >;
  '/api/chain/address/{address}': Get<
    {
      address: {
        address: string;
        short_address: string;
        balance: number;
        nonce: number;
        tokens: { token_id: number; tier: number; material: string }[];
      };
      transactions: TxRow[];
      next: string | null;
    },
    { address: string },
    { cursor?: string; limit?: number }
  >;
  '/api/chain/token/{token_id}': Get<
    {
      token: {
        token_id: number;
        owner: string | null;
        tier: number;
        material: string;
        value: number;
        burnt: boolean;
        run_id: string | null;
        transactions: TxRow[];
      };
    },
    { token_id: number }
  >;
}
