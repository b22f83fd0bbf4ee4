import { Connection } from './connection.ts';
import type { Load } from './loads.ts';
import type { Target } from './targets.ts';

const MAX_CONNECTIONS = 256;

/** Sends the requests of a load as fast as they are answered. @returns how long it took, in milliseconds. */
export async function sendFlatOut(target: Target, load: Load): Promise<number> {
  const request = requestFor(target, load);
  const connections = Array.from({ length: load.connections }, () => new Connection(target.port));
  let unsent = load.requests;
  const startMs = performance.now();
  try {
    await Promise.all(connections.map((connection) => drive(connection)));
    return performance.now() - startMs;
  } finally {
    for (const connection of connections) connection.close();
  }

  function drive(connection: Connection): Promise<void> {
    return new Promise((resolve, reject) => {
      const next = (error?: Error): void => {
        if (error !== undefined) reject(error);
        else if (unsent === 0) resolve();
        else {
          unsent--;
          connection.exchange(request, next);
        }
      };
      next();
    });
  }
}

/**
 * Sends the requests of a load at its rate, whether earlier ones have been answered or not (on up to 256 connections).
 * @returns the latencies in milliseconds from when each was due, sorted.
 */
export async function sendAtRate(target: Target, load: Load, durationMs: number): Promise<readonly number[]> {
  const request = requestFor(target, load);
  const total = Math.round((load.perSecond * durationMs) / 1000);
  const idle: Connection[] = Array.from({ length: 8 }, () => new Connection(target.port));
  const all = new Set(idle);
  const latencies: number[] = [];
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let sent = 0;
  const startMs = performance.now();
  const send = (connection: Connection, dueMs: number): void => {
    all.add(connection);
    sent++;
    connection.exchange(request, (error) => {
      if (error !== undefined) {
        reject(error);
        return;
      }
      latencies.push(performance.now() - dueMs);
      idle.push(connection);
      if (latencies.length === total) resolve();
    });
  };
  const timer = setInterval(() => {
    const due = Math.min(total, Math.floor(((performance.now() - startMs) * load.perSecond) / 1000));
    while (sent < due && (idle.length > 0 || all.size < MAX_CONNECTIONS)) {
      send(freshOf(idle, all) ?? new Connection(target.port), startMs + (sent * 1000) / load.perSecond);
    }
  }, 1);
  try {
    await promise;
  } finally {
    clearInterval(timer);
    for (const connection of all) connection.close();
  }
  return latencies.sort((a, b) => a - b);
}

/** Takes the connection that was used last; undefined if none was used lately. Others are closed. */
export function freshOf(idle: Connection[], all: Set<Connection>): Connection | undefined {
  const last = idle.pop();
  if (last === undefined || last.isFresh) return last;
  for (const each of [last, ...idle.splice(0)]) {
    each.close();
    all.delete(each);
  }
  return undefined;
}

/** A request as it goes over the wire. */
export function requestFor({ path }: Pick<Target, 'path'>, { body }: Pick<Load, 'body'>): Buffer {
  const head = [
    `POST ${path} HTTP/1.1`,
    'host: 127.0.0.1',
    'content-type: application/json',
    'accept: application/json',
    `content-length: ${Buffer.byteLength(body)}`,
  ];
  return Buffer.from(`${head.join('\r\n')}\r\n\r\n${body}`);
}
