import { Server, ServerCredentials } from '@grpc/grpc-js';
import { type StreamServiceServer, StreamServiceService } from '../../generated/stream/service.ts';

// The least that a stream of grpc-js costs: every call is sent the same message as often as it asks for, as fast as it is read.

const MESSAGE = { topic: 'transactions', slot: 1n, payload: 'x'.repeat(Number(process.argv[2] ?? 700)) };
const COUNT = Number(process.argv[3] ?? 10_000);

const server = new Server();
const implementation: Pick<StreamServiceServer, 'subscribe'> = {
  subscribe: (call) => {
    let left = COUNT;
    const send = (): void => {
      while (left > 0) {
        left--;
        if (!call.write(MESSAGE)) return void call.once('drain', send);
      }
      call.end();
    };
    send();
  },
};
server.addService(StreamServiceService, implementation as StreamServiceServer);
server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, port) => {
  if (error !== null) throw error;
  process.send?.({ port });
});
process.once('disconnect', () => process.exit());
