import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { ServiceError } from '../../base/service-error.ts';
import type { ConnectionOwner } from '../connections/connection.ts';
import type { PlainLane } from './plain/plain-lane.ts';
import type { RequestTracker } from './request-tracker.ts';

/** Ends a connection for an error, with an answer where the client would read it as such. */
export type FailConnection = (error: NodeJS.ErrnoException, socket: Duplex) => void;

export type HttpOwnerParts = {
  readonly tracker: RequestTracker;
  readonly lane: PlainLane | undefined;
  readonly fail: FailConnection;
};

/** The error of a connection that is closed to make room: a request that has begun to arrive gets an answer. */
export class ConnectionShed extends Error {
  readonly reason: ServiceError;

  constructor(reason: ServiceError) {
    super(reason.message);
    this.reason = reason;
  }
}

/** Creates the HTTP owner of a connection: in use while a received request is being answered. */
export function createHttpOwner({ tracker, lane, fail }: HttpOwnerParts, socket: Socket): ConnectionOwner {
  return {
    isInUse: () => lane?.isBusy(socket) === true || tracker.isBusy(socket),
    progress: () => socket.bytesWritten,
    shed: (reason) => {
      const hasServed = lane?.hasServed(socket) === true || tracker.hasServed(socket);
      if (hasServed || !socket.writable) socket.end(() => socket.destroy());
      else fail(new ConnectionShed(reason), socket);
    },
  };
}
