// node:http, loaded here only. An import statement reads every property of the module, one of which loads Node's own fetch and WebSocket:
// 40 ms and 6 MB for each process.

export const { Agent, createServer, request, STATUS_CODES } = process.getBuiltinModule('node:http');
