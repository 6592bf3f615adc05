// Short names for the schemas of the contract. The types themselves are generated.

import type { Answer, Body } from './client.ts';
import type { components } from './schema.d.ts';

export type Me = Answer<'/api/me', 'get'>;
export type Run = Answer<'/api/runs/{run_id}', 'get'>['run'];
export type Throw = Run['throws'][number];
export type Move = Throw['house'];
export type Outcome = Throw['outcome'];
export type Entry = Me['entry_options'][number];
/** The entry that the player requests: a kind of entry, or `auto` for the cheapest available one. */
export type EntryChoice = NonNullable<Extract<Body<'/api/runs'>, { entry: unknown }>['entry']>;
export type Tiers = Answer<'/api/tiers', 'get'>;
export type Tier = Tiers['tiers'][number];
export type Head = Answer<'/api/chain/head', 'get'>['head'];
/** A block in a list, also as an event reports it. */
export type BlockRow = components['schemas']['BlockEvent'];
export type Block = Answer<'/api/chain/blocks/{height}', 'get'>['block'];
export type Transaction = Answer<'/api/chain/tx/{tx_hash}', 'get'>['transaction'];
export type AddressPage = Answer<'/api/chain/address/{address}', 'get'>;
export type TransactionRow = AddressPage['transactions'][number];
export type Hit = Answer<'/api/chain/search', 'get'>['results'][number];
export type ChainVerdict = Answer<'/api/chain/verify', 'get'>;
export type Token = Answer<'/api/chain/token/{token_id}', 'get'>['token'];
export type Duel = Answer<'/api/duels/{code}', 'get'>['duel'];
export type DuelRound = Duel['rounds'][number];
export type DuelPlayer = Duel['a'];
export type ArenaRow = Answer<'/api/arena/leaderboard', 'get'>['rows'][number];
export type TokenOwner = Token['owners'][number];
export type Opponent = Answer<'/api/duels/opponents', 'get'>['opponents'][number];
export type Voided = NonNullable<Duel['voided']>;
export type BotDuel = Answer<'/api/arena/bots/{name}/duels', 'get'>['duels'][number];
export type BotOpponent = Answer<'/api/arena/bots/{name}/opponents', 'get'>['opponents'][number];
export type BotVersion = Answer<'/api/arena/bots/{name}/versions', 'get'>['versions'][number];
export type RatingPoint = Answer<'/api/players/{name}/ratings', 'get'>['ratings'][number];
type Profile = Answer<'/api/players/{name}', 'get'>['player'];
/** Whose challenges a player takes, and whether it has quiet hours. */
export type Challengeable = Profile['challenges'];
export type Medal = Profile['medals'][number];
export type CollectedTier = Profile['collection'][number];
export type Cup = Answer<'/api/cups', 'get'>['cups'][number];
export type CupRow = Answer<'/api/cups/{number}', 'get'>['table'][number];
export type CupGame = Answer<'/api/cups/{number}', 'get'>['games'][number];
export type Daily = Answer<'/api/daily', 'get'>;
export type Crosstable = Answer<'/api/arena/crosstable', 'get'>;
export type TV = Answer<'/api/tv', 'get'>;
export type Market = Answer<'/api/market', 'get'>;
export type Listing = Market['listings'][number];
export type Offer = Answer<'/api/buyback/{offer_id}', 'get'>['offer'];
export type Portfolio = Answer<'/api/portfolio', 'get'>;
export type Holding = Portfolio['holdings'][number];
export type BoardRow = Answer<'/api/leaderboard', 'get'>['rows'][number];
export type FeedEvent = Answer<'/api/feed', 'get'>['events'][number];
export type Team = Answer<'/api/teams/{slug}', 'get'>['team'];
export type DuelSide = 'a' | 'b';
