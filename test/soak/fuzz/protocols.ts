import type { Protocol } from './protocol.ts';
import { grpcStreams } from './grpc.ts';
import { rpcOverHttp } from './rpc-http.ts';
import { rpcOverSocket } from './rpc-socket.ts';
import { walletsOverRest } from './wallets.ts';

/** Every protocol that the server speaks. */
export const PROTOCOLS: readonly Protocol[] = [rpcOverHttp, rpcOverSocket, walletsOverRest, grpcStreams];
