import type { Socket } from 'node:net';
import { type ServiceError, serviceError } from '../../base/service-error.ts';
import { addressKey } from './address-key.ts';
import { Connection, type ConnectionOwner } from './connection.ts';
import { ConnectionGroup } from './connection-group.ts';

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
/** Most refused connections that are answered at the same time; more are cut without an answer. */
const MAX_ANSWERED = 32;
/** Most milliseconds that the answer to a refused connection may take. */
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
