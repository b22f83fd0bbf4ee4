/** Which of Keyslot's own HTTP parser and client the suites use; test/own-http runs some of them with node:http instead. */
export const ownHttp = { ownParser: true, ownClient: true };
