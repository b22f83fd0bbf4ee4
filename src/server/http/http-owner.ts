import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { ServiceError } from '../../base/service-error.ts';
import type { ConnectionOwner } from '../connections/connection.ts';
import type { PlainLane } from './plain/plain-lane.ts';
import type { RequestTracker } from './request-tracker.ts';

export type HttpOwnerParts = {
  readonly server: Server;
  readonly tracker: RequestTracker;
  readonly lane: PlainLane | undefined;
};

/** Passed to `clientError` when a connection is closed to make room: a request that has begun to arrive gets an answer. */
export class ConnectionShed extends Error {
  readonly reason: ServiceError;

  constructor(reason: ServiceError) {
    super(reason.message);
    this.reason = reason;
  }
}

/** Creates the HTTP owner of a connection: in use while a received request is being answered. */
export function createHttpOwner({ server, tracker, lane }: HttpOwnerParts, socket: Socket): ConnectionOwner {
  return {
    isInUse: () => lane?.isBusy(socket) === true || tracker.isBusy(socket),
    progress: () => socket.bytesWritten,
    shed: (reason) => {
      const hasServed = lane?.hasServed(socket) === true || tracker.hasServed(socket);
      if (hasServed) socket.destroySoon();
      else server.emit('clientError', new ConnectionShed(reason), socket);
    },
  };
}
