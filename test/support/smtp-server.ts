import { createServer, type Socket } from 'node:net';

/** A mail that the server has taken. */
export type TakenMail = {
  readonly from: string;
  readonly to: readonly string[];
  /** Header and body, as sent, with dots as before stuffing. */
  readonly text: string;
};

export type SmtpScript = {
  /** Never answers anything. */
  readonly isSilent?: boolean;
  /** Answer to RCPT TO in place of 250. */
  readonly refusal?: string;
  /** Answer to AUTH in place of 235. */
  readonly loginRefusal?: string;
  /** Extensions in addition to AUTH PLAIN. */
  readonly extensions?: readonly string[];
};

/** A mail server on loopback that answers by a script and keeps what it gets. */
export type SmtpServer = AsyncDisposable & {
  readonly port: number;
  readonly mails: readonly TakenMail[];
  /** Every line of clients outside mails. */
  readonly commands: readonly string[];
  readonly connections: () => number;
};

/** Starts a mail server on a free port. */
export async function startSmtpServer(script: SmtpScript = {}): Promise<SmtpServer> {
  const mails: TakenMail[] = [];
  const commands: string[] = [];
  const sockets = new Set<Socket>();
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => socket.destroy());
    if (script.isSilent !== true) converse(socket, script, { mails, commands });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the mail server has no port');
  return {
    port: address.port,
    mails,
    commands,
    connections: () => connections,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function converse(
  socket: Socket,
  { refusal, loginRefusal, extensions = [] }: SmtpScript,
  kept: { readonly mails: TakenMail[]; readonly commands: string[] },
): void {
  let from = '';
  let to: string[] = [];
  let rest = '';
  let data: string[] | undefined;
  const say = (line: string): void => void socket.write(`${line}\r\n`);
  const readMail = (line: string, lines: string[]): void => {
    if (line !== '.') return void lines.push(line.replace(/^\./, ''));
    kept.mails.push({ from, to, text: lines.join('\r\n') });
    data = undefined;
    say('250 taken');
  };
  const offer = (): void => {
    const lines = ['scripted', 'AUTH PLAIN', ...extensions];
    for (const [at, one] of lines.entries()) say(`250${at === lines.length - 1 ? ' ' : '-'}${one}`);
  };
  const answers: Readonly<Record<string, (path: string) => void>> = {
    EHLO: offer,
    AUTH: () => say(loginRefusal ?? '235 welcome'),
    QUIT: () => say('221 bye'),
    MAIL: (path) => {
      from = path;
      to = [];
      say('250 ok');
    },
    RCPT: (path) => {
      to.push(path);
      say(refusal ?? '250 ok');
    },
    DATA: () => {
      data = [];
      say('354 go on');
    },
  };
  const take = (line: string): void => {
    if (data !== undefined) return void readMail(line, data);
    kept.commands.push(line);
    const [verb = ''] = line.toUpperCase().split(' ');
    const answer = answers[verb] ?? (() => say('250 ok'));
    answer(/<(.*?)>/.exec(line)?.[1] ?? '');
  };
  say('220 scripted');
  socket.on('data', (chunk) => {
    const lines = (rest + chunk.toString('utf8')).split('\r\n');
    rest = lines.pop() ?? '';
    for (const line of lines) take(line);
  });
}
