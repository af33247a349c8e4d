/** Types of plimsoll.mjs, which says what each of them means. Copy the two files together. */

export type Role = "system" | "user" | "assistant" | "tool";
export type Kind = "step" | "force" | "overflow";
export type Pressure = "none" | "trim" | "summarize";
export type Unit = "messages" | "tokens" | "code_points" | "utf8_bytes" | "utf16_units";
export type Failure = "rejected" | "overflow" | "timeout" | "transport" | "aborted";

export interface Message {
  id: string | null;
  role: Role;
  content: string;
  ui_only: boolean;
  hidden: boolean;
  pinned: boolean;
  call_id: string | null;
  calls: string[];
  reasoning: string | null;
  interim: boolean;
}

/** A message from the host. */
export interface Said extends Message {
  id: string;
}

export interface Item extends Partial<Message> {
  summary?: boolean;
  trimmed?: boolean;
}

export interface Limit {
  max: number;
  unit: Unit;
}

export interface Block {
  text: string;
  required: boolean;
}

export type Notice = { before: number; after: number } | null;
export interface Change {
  by: "external" | "self";
  relevant: boolean;
}

export interface Step {
  action?: Pressure | null;
  appended?: Item[];
  view?: Item[] | null;
  extra?: Item[];
}

type Later<T> = T | Promise<T>;

/** What `run` serves. A method that is not there answers "method not found". */
export interface Methods {
  name: string;
  version: string;
  contract: { capabilities: string[]; [member: string]: unknown };
  batch?: boolean;
  reset?(): Later<void>;
  append?(conversation: string, messages: Said[]): Later<Item[] | void>;
  step?(conversation: string, host: Host): Later<Step | void>;
  view?(conversation: string): Later<{ view: Item[]; log?: Item[] }>;
  rewind?(conversation: string, to: string): Later<Item[] | null | void>;
  restart?(wall_s: number, monotonic_s: number, without: string[]): Later<void>;
  usage?(conversation: string, tokens: number, upto: string): Later<void>;
  auto?(on: boolean): Later<void>;
  reduce?(blocks: Block[], limit: Limit): Later<string | { text: string; notice: Notice }>;
  fit?(messages: Said[], limit: Limit): Later<Item[] | { view: Item[]; notice: Notice }>;
  assemble?(given: { conversation?: string; messages?: Said[]; limit?: Limit; path?: string }): Later<{
    instructions: string | null;
    sent: string[];
    notice?: Notice;
  }>;
  gauge?(messages: Said[], reported: { tokens: number | null; upto: string } | null): Later<{ pressure: Pressure; tokens: number | null }>;
  configureGauge?(trigger: number, target: number, limit: number): Later<{ trigger: number; target: number; limit: number }>;
  change?(guard: string, event: Change): Later<void>;
  attempt?(guard: string, outcome: "ok" | "fail", during: Change[], monotonic_s: number): Later<boolean | { ran: boolean }>;
}

export const DEFAULTS: Readonly<Omit<Message, "calls"> & { calls: readonly string[] }>;

export class Candidate {
  name: string;
  version: string;
  contract: { capabilities: string[]; [member: string]: unknown };
  batch: boolean;
}

export class Summary {
  constructor(text: string, stop?: string, arrived?: Said[]);
  text: string;
  /** "end", "length" or "refusal" from the harness. */
  stop: string;
  arrived: Said[];
  get usable(): boolean;
}

export class SummarizeError extends Error {
  constructor(kind: Failure, text?: string);
  kind: Failure;
  data: { kind: Failure };
}

export class Infeasible extends Error {
  constructor(text?: string);
}

export class Host {
  kind: Kind;
  pressure: Pressure;
  wall_s: number;
  monotonic_s: number;
  summarize(sent: Item[] | string): Promise<Summary>;
}

export function message(members?: Partial<Message>): Message;
export function status(text: string, members?: Partial<Message>): Message;
export function visible(item: Item): boolean;
export function external(item: Item): boolean;
export function codePoints(text: string): number;
export function size(items: Item[]): number;
export function groups<T extends Item>(items: T[]): T[][];
export function hasOpenCall(items: Item[]): boolean;
export function leadingSystem<T extends Item>(items: T[]): T[];
export function latestUser<T extends Item>(items: T[]): T | undefined;
export function turnRuns(items: Item[]): boolean;
export function mustStay(items: Item[], also?: (Item | undefined)[]): Set<string>;

export class Conversation {
  log: Item[];
  view: Item[];
  external: number;
  after: Map<string, string | null>;
  last: string | null;
  ownIds: number;
  append(messages: Said[]): void;
  say(own: string | Item): Item;
  said(): Item[];
  summary(text: string, role?: Role): Item;
  ownId(): string;
  rewind(to: string): Item[];
  visible(): Item[];
  state(): { view: Item[]; log: Item[] };
}

export class Conversations<T = Conversation> extends Map<string, T> {
  constructor(make?: (name: string) => T);
  get(name: string): T;
}

export class Keeper<T extends Conversation = Conversation> extends Candidate {
  static Conversation: new () => Conversation;
  conversations: Conversations<T>;
  reset(): void;
  append(conversation: string, messages: Said[]): void;
  view(conversation: string): { view: Item[]; log: Item[] };
  rewind(conversation: string, to: string): Item[];
}

export interface Named {
  name?: string;
  version?: string;
}

export function trimmer(
  fit: (messages: Said[], maximum: number) => Later<Item[] | { view: Item[]; notice: Notice }>,
  contract?: object,
  named?: Named,
): Candidate;
type Reduced = Later<string | { text: string; notice: Notice }>;

export function reducer(
  reduce: (text: string, maximum: number) => Reduced,
  contract: { field: { structure: "text"; [member: string]: unknown }; [member: string]: unknown },
  named?: Named,
): Candidate;
export function reducer(reduce: (blocks: Block[], maximum: number) => Reduced, contract?: object, named?: Named): Candidate;

export function claimStdout(): void;
export function run(candidate: Methods): Promise<void>;
