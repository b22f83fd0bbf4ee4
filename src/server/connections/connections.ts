import { type Socket, isIPv6 } from 'node:net';
import { type ServiceError, serviceError } from '../../core/service-error.ts';
import { Connection, type ConnectionOwner } from './connection.ts';

export type ConnectionLimits = {
  readonly maxConnections: number;
  readonly maxPerAddress: number;
};

export type ConnectionsOptions = ConnectionLimits & {
  /** True for an address without a limit of its own, such as a proxy's. */
  readonly isExempt?: (address: string) => boolean;
  readonly nowMs?: () => number;
  readonly onShed?: (scope: Scope) => void;
  readonly onRefused?: (scope: Scope) => void;
};

/** The limit that was reached. */
export type Scope = 'server' | 'address';

const LOOK_MS = 1_000;
const RETRY_AFTER_SECONDS = 1;
/** Maximum number of refused connections that are answered at the same time; more are cut without an answer. */
const MAX_ANSWERED = 32;
/** Maximum number of milliseconds that the answer to a refused connection may take. */
const ANSWER_MS = 1_000;

/** The connections of all listeners that share a limit: when it is reached, the longest idle one is closed to make room. */
export class Connections {
  readonly #options: ConnectionsOptions;
  readonly #nowMs: () => number;
  readonly #all = new ConnectionGroup();
  readonly #addresses = new Map<string, ConnectionGroup>();
  readonly #timer: NodeJS.Timeout;
  /** The refusal for each limit: created once, because a flood would need it often. */
  readonly #refusals: Readonly<Record<Scope, ServiceError>>;
  #answered = 0;

  constructor(options: ConnectionsOptions) {
    this.#options = options;
    const { maxConnections, maxPerAddress } = options;
    this.#refusals = {
      server: limitError('server', maxConnections),
      address: limitError('address', maxPerAddress),
    };
    this.#nowMs = options.nowMs ?? (() => performance.now());
    this.#timer = setInterval(() => this.#all.look(this.#nowMs()), LOOK_MS).unref();
  }

  /** The limit of open connections. */
  get limit(): number {
    return this.#options.maxConnections;
  }

  /** The number of open connections. */
  get size(): number {
    return this.#all.size;
  }

  /** Admits a connection, closing an idle one if it must; or returns the reason why not. It is counted until its socket closes. */
  open(socket: Socket, owner: ConnectionOwner): Connection | ServiceError {
    const key = this.#keyOf(socket.remoteAddress ?? '');
    const refusal = this.#makeRoom(key);
    if (refusal !== undefined) return refusal;
    const connection = new Connection(owner, key, {
      nowMs: this.#nowMs(),
      onTaken: (taken) => this.#leaveAddress(taken),
    });
    this.#all.add(connection);
    if (key !== undefined) this.#groupOf(key).add(connection);
    socket.once('close', () => this.#remove(connection));
    return connection;
  }

  /** Gives a refused connection a short time to be answered; cuts it if many are already being answered. */
  answer(socket: Socket, say: () => void): void {
    if (this.#answered >= MAX_ANSWERED) {
      socket.destroy();
      return;
    }
    this.#answered++;
    const timer = setTimeout(() => socket.destroy(), ANSWER_MS);
    socket.once('close', () => {
      clearTimeout(timer);
      this.#answered--;
    });
    say();
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #makeRoom(key: string | undefined): ServiceError | undefined {
    const { maxConnections, maxPerAddress } = this.#options;
    const address = key === undefined ? undefined : this.#addresses.get(key);
    if (address !== undefined && address.size >= maxPerAddress && !this.#shed(address, 'address'))
      return this.#refusal('address');
    if (this.#all.size >= maxConnections && !this.#shed(this.#all, 'server')) return this.#refusal('server');
    return undefined;
  }

  #shed(group: ConnectionGroup, scope: Scope): boolean {
    const connection = group.takeIdle(this.#nowMs());
    if (connection === undefined) return false;
    this.#remove(connection);
    this.#options.onShed?.(scope);
    connection.shed(this.#refusals[scope]);
    return true;
  }

  #refusal(scope: Scope): ServiceError {
    this.#options.onRefused?.(scope);
    return this.#refusals[scope];
  }

  #remove(connection: Connection): void {
    this.#all.delete(connection);
    this.#leaveAddress(connection);
  }

  #leaveAddress(connection: Connection): void {
    const { addressKey: key } = connection;
    if (key === undefined) return;
    connection.addressKey = undefined;
    const group = this.#addresses.get(key);
    group?.delete(connection);
    if (group?.size === 0) this.#addresses.delete(key);
  }

  #keyOf(address: string): string | undefined {
    return this.#options.isExempt?.(address) === true ? undefined : addressKey(address);
  }

  #groupOf(key: string): ConnectionGroup {
    const known = this.#addresses.get(key);
    if (known !== undefined) return known;
    const group = new ConnectionGroup();
    this.#addresses.set(key, group);
    return group;
  }
}

function limitError(scope: Scope, limit: number): ServiceError {
  return serviceError('connectionsFull', { scope, limit, retryAfterSeconds: RETRY_AFTER_SECONDS });
}

const MAPPED = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;
const PREFIX_GROUPS = 4;
const GROUPS = 8;

/**
 * Returns the key under which an address is counted: IPv4 as it is, mapped into IPv6 or not; IPv6 by its first 64 bits, which
 * belong to one client as a whole.
 */
export function addressKey(address: string): string {
  const mapped = MAPPED.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  if (!isIPv6(address)) return address;
  const [head = '', tail] = address.split('%', 1)[0]?.split('::') ?? [];
  const [before, after] = [groupsOf(head), groupsOf(tail ?? '')];
  const zeros = tail === undefined ? 0 : GROUPS - before.length - after.length;
  const groups = [...before, ...Array.from({ length: zeros }, () => '0'), ...after];
  return `${groups
    .slice(0, PREFIX_GROUPS)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')}::/64`;
}

function groupsOf(text: string): readonly string[] {
  return text === '' ? [] : text.split(':');
}

/** A connection opened or served within this time is likely to be used again: others are closed before it. */
const FRESH_MS = 1_000;
/** Pause before all connections are scanned again after nearly all were in use. */
const LOOK_AGAIN_MS = 250;
/** If at least one in this many was idle, another full scan costs little per closed connection. */
const CHEAP_SHARE = 8;

/** The connections counted by one limit, and which of them may be closed. */
class ConnectionGroup {
  readonly #members = new Set<Connection>();
  /** Connections that were idle at the last scan; the longest idle is last. */
  #idle: Connection[] = [];
  #wasCheap = true;
  #lookedAtMs = Number.NEGATIVE_INFINITY;

  get size(): number {
    return this.#members.size;
  }

  add(connection: Connection): void {
    this.#members.add(connection);
  }

  delete(connection: Connection): void {
    this.#members.delete(connection);
  }

  /** Updates the idle times; call it about every second. */
  look(nowMs: number): void {
    for (const connection of this.#members) connection.look(nowMs);
  }

  /**
   * Removes and returns the connection that has been idle longest, if there is one. Fresh connections stay, unless most of all
   * are fresh.
   */
  takeIdle(nowMs: number): Connection | undefined {
    const found = this.#nextIdle();
    if (found !== undefined) return found;
    if (!this.#wasCheap && nowMs - this.#lookedAtMs < LOOK_AGAIN_MS) return undefined;
    this.#findIdle(nowMs);
    return this.#nextIdle();
  }

  #nextIdle(): Connection | undefined {
    for (;;) {
      const next = this.#idle.pop();
      if (next === undefined || (this.#members.has(next) && next.isIdle)) return next;
    }
  }

  #findIdle(nowMs: number): void {
    this.look(nowMs);
    const idle = [...this.#members].filter(({ isIdle }) => isIdle);
    const isFlood = idle.length * 2 >= this.#members.size;
    const mayGo = isFlood ? idle : idle.filter(({ idleSinceMs }) => nowMs - idleSinceMs >= FRESH_MS);
    // Of connections that are idle since the same moment, the first opened goes first: the sort is stable, and is then reversed.
    this.#idle = mayGo.toSorted((a, b) => a.idleSinceMs - b.idleSinceMs).reverse();
    this.#wasCheap = this.#idle.length * CHEAP_SHARE >= this.#members.size;
    this.#lookedAtMs = nowMs;
  }
}
