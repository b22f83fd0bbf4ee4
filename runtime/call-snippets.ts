/** The languages in which the reference shows a call. `shell` is curl, websocat or grpcurl. */
export const LANGUAGES = ['shell', 'JavaScript', 'Python', 'Go', 'Rust'] as const;
export type Language = (typeof LANGUAGES)[number];

/** A call, whole: addresses without a credential, which the snippet puts where it belongs. */
export type SnippetCall =
  | ({ readonly kind: 'method'; readonly url: string; readonly apiKey: string } & RpcMessage)
  | ({ readonly kind: 'subscription'; readonly url: string; readonly apiKey: string } & RpcMessage)
  | {
      readonly kind: 'operation';
      readonly url: string;
      readonly verb: string;
      readonly headers: Readonly<Record<string, string>>;
      readonly body: unknown;
    }
  | {
      readonly kind: 'topic';
      /** The address of the topic streams: `http://host:port`, or `https://…` for TLS. */
      readonly url: string;
      readonly protoUrl: string;
      readonly topic: string;
      readonly metadata: Readonly<Record<string, string>>;
    };

type RpcMessage = { readonly method: string; readonly params: readonly unknown[] };
type Call<K extends SnippetCall['kind']> = Extract<SnippetCall, { readonly kind: K }>;
type Post = Pick<Call<'operation'>, 'url' | 'verb' | 'headers' | 'body'>;

/** The addresses and credentials that snippets have until a page knows those of its server, and of its reader. */
export const PLACEHOLDERS = {
  url: 'https://keyslot.example',
  rpcPath: '/solana-mainnet',
  grpcUrl: 'https://keyslot.example:50051',
  apiKey: 'YOUR_API_KEY',
  token: 'YOUR_ACCESS_TOKEN',
} as const;

/** The name of the program that a language's tab shows: that of the shell depends on the call. */
export const languageTitle = (language: Language, { kind }: Pick<SnippetCall, 'kind'>): string => {
  if (language !== 'shell') return language;
  return kind === 'topic' ? 'grpcurl' : kind === 'subscription' ? 'websocat' : 'curl';
};

/** Returns a program that makes the call. Integers are exact; what is put into a text is quoted as its language wants it. */
export const snippetOf = (language: Language, call: SnippetCall): string => {
  switch (call.kind) {
    case 'method':
      return language === 'JavaScript' ? kitMethod(call) : POSTS[language](postOf(call));
    case 'operation':
      return POSTS[language](call);
    case 'subscription':
      return SUBSCRIPTIONS[language](call);
    case 'topic':
      return TOPICS[language](call);
    default:
      return call satisfies never;
  }
};

const postOf = ({ url, apiKey, method, params }: Call<'method'>): Post => ({
  url,
  verb: 'POST',
  headers: { 'content-type': 'application/json', 'x-api-key': apiKey },
  body: messageOf({ method, params }),
});

const messageOf = ({ method, params }: RpcMessage): object => ({
  jsonrpc: '2.0',
  id: 1,
  method,
  ...(params.length > 0 && { params }),
});

const POSTS: Readonly<Record<Language, (post: Post) => string>> = {
  shell: ({ url, verb, headers, body }) =>
    [
      `curl -sS ${verb === 'POST' && body !== undefined ? '' : `-X ${verb} `}${inShell(url)}`,
      ...Object.entries(headers).map(([name, value]) => `  -H ${inShell(`${name}: ${value}`)}`),
      ...(body === undefined ? [] : [`  -d ${inShell(printed(body))}`]),
    ].join(' \\\n'),
  JavaScript: ({ url, verb, headers, body }) =>
    `const response = await fetch(${inJs(url)}, {
  method: ${inJs(verb)},
  headers: ${literalOf(headers, JS, 1)},${body === undefined ? '' : `\n  body: ${jsBody(body)},`}
});
console.log(response.status, await response.text());`,
  Python: ({ url, verb, headers, body }) =>
    `import json, urllib.request

request = urllib.request.Request(
    ${inJson(url)},
    method=${inJson(verb)},
    headers=${literalOf(headers, PYTHON, 1)},${body === undefined ? '' : `\n    data=json.dumps(${literalOf(body, PYTHON, 1)}).encode(),`}
)
print(urllib.request.urlopen(request).read().decode())`,
  Go: ({ url, verb, headers, body }) =>
    `package main

import (
	"fmt"
	"io"
	"net/http"${body === undefined ? '' : '\n\t"strings"'}
)

func main() {
${body === undefined ? '' : `\tbody := strings.NewReader(${inGo(printed(body))})\n`}	request, err := http.NewRequest("${verb}", ${inJson(url)}, ${body === undefined ? 'nil' : 'body'})
	if err != nil {
		panic(err)
	}
${Object.entries(headers)
  .map(([name, value]) => `\trequest.Header.Set(${inJson(name)}, ${inJson(value)})\n`)
  .join('')}	response, err := http.DefaultClient.Do(request)
	if err != nil {
		panic(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		panic(err)
	}
	fmt.Println(response.Status, string(text))
}`,
  Rust: ({ url, verb, headers, body }) =>
    `// cargo add reqwest --features blocking
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let response = reqwest::blocking::Client::new()
        .${verb.toLowerCase()}(${inRust(url)})
${Object.entries(headers)
  .map(([name, value]) => `        .header(${inRust(name)}, ${inRust(value)})\n`)
  .join('')}${body === undefined ? '' : `        .body(${inRust(printed(body))})\n`}        .send()?;
    println!("{} {}", response.status(), response.text()?);
    Ok(())
}`,
};

const kitMethod = ({ url, apiKey, method, params }: Call<'method'>): string =>
  `import { createSolanaRpc } from '@solana/kit';

const rpc = createSolanaRpc(${inJs(`${url}?apikey=${apiKey}`)});
const result = await rpc${memberOf(method)}(${argumentsOf(params)}).send();
console.log(result);`;

const SUBSCRIPTIONS: Readonly<Record<Language, (call: Call<'subscription'>) => string>> = {
  shell: ({ url, apiKey, ...message }) =>
    `echo ${inShell(printed(messageOf(message)))} |
  websocat -n ${inShell(`${url}?apikey=${apiKey}`)}`,
  JavaScript: ({ url, apiKey, method, params }) =>
    `import { createSolanaRpcSubscriptions_UNSTABLE } from '@solana/kit';

const subscriptions = createSolanaRpcSubscriptions_UNSTABLE(
  ${inJs(`${url}?apikey=${apiKey}`)},
);
const notifications = await subscriptions
  .${method.replace(/Subscribe$/, 'Notifications')}(${argumentsOf(params)})
  .subscribe({ abortSignal: AbortSignal.timeout(60_000) });
for await (const notification of notifications) console.log(notification);`,
  Python: ({ url, apiKey, ...message }) =>
    `# pip install websockets
import json
from websockets.sync.client import connect

with connect(${inJson(`${url}?apikey=${apiKey}`)}) as socket:
    socket.send(json.dumps(${literalOf(messageOf(message), PYTHON, 1)}))
    for message in socket:  # the reply, then notifications
        print(json.loads(message))`,
  Go: ({ url, apiKey, ...message }) =>
    `// go get github.com/gorilla/websocket
package main

import (
	"fmt"

	"github.com/gorilla/websocket"
)

func main() {
	socket, _, err := websocket.DefaultDialer.Dial(${inJson(`${url}?apikey=${apiKey}`)}, nil)
	if err != nil {
		panic(err)
	}
	defer socket.Close()
	call := []byte(${inGo(printed(messageOf(message)))})
	if err := socket.WriteMessage(websocket.TextMessage, call); err != nil {
		panic(err)
	}
	for { // the reply, then notifications
		_, text, err := socket.ReadMessage()
		if err != nil {
			panic(err)
		}
		fmt.Println(string(text))
	}
}`,
  Rust: ({ url, apiKey, ...message }) =>
    `// cargo add tungstenite --features native-tls
use tungstenite::{connect, Message};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (mut socket, _) = connect(${inRust(`${url}?apikey=${apiKey}`)})?;
    let call = ${inRust(printed(messageOf(message)))};
    socket.send(Message::text(call))?;
    loop {
        println!("{}", socket.read()?); // the reply, then notifications
    }
}`,
};

const TOPICS: Readonly<Record<Language, (call: Call<'topic'>) => string>> = {
  shell: ({ url, topic, metadata }) =>
    [
      `grpcurl${isSecure(url) ? '' : ' -plaintext'}`,
      ...Object.entries(metadata).map(([name, value]) => `  -H ${inShell(`${name}: ${value}`)}`),
      `  -d ${inShell(JSON.stringify({ topic, format: 'JSON' }))}`,
      `  ${hostOf(url)} keyslot.stream.v1.StreamService/Subscribe`,
    ].join(' \\\n'),
  JavaScript: ({ url, topic, metadata }) => {
    const token = metadata.authorization?.replace('Bearer ', '');
    return `// npm install @grpc/grpc-js @bufbuild/protobuf, and @keyslot/client of \`make pack\`
import { createStreamClient } from '@keyslot/client/stream';

const client = createStreamClient({
  url: ${inJs(url)},
  apiKey: ${inJs(metadata['x-api-key'] ?? '')},${token === undefined ? '' : `\n  token: ${inJs(token)},`}
});
for await (const message of client.subscribe(${inJs(topic)})) console.log(message);`;
  },
  Python: ({ url, protoUrl, topic, metadata }) =>
    `# pip install grpcio grpcio-tools
# curl -O ${inShell(protoUrl)}
# python -m grpc_tools.protoc -I. --python_out=. --grpc_python_out=. stream.proto
import grpc
from stream_pb2 import JSON, SubscribeRequest
from stream_pb2_grpc import StreamServiceStub

channel = grpc.${isSecure(url) ? `secure_channel(${inJson(hostOf(url))}, grpc.ssl_channel_credentials())` : `insecure_channel(${inJson(hostOf(url))})`}
request = SubscribeRequest(topic=${inJson(topic)}, format=JSON)
metadata = [${Object.entries(metadata)
      .map(([name, value]) => `(${inJson(name)}, ${inJson(value)})`)
      .join(', ')}]
for message in StreamServiceStub(channel).Subscribe(request, metadata=metadata):
    print(message.slot, message.payload)`,
  Go: ({ url, protoUrl, topic, metadata }) =>
    `// curl -O ${inShell(protoUrl)}
// protoc --go_out=. --go-grpc_out=. --go_opt=Mstream.proto=./streampb \\
//   --go-grpc_opt=Mstream.proto=./streampb stream.proto
package main

import (
	"context"
	"fmt"

	"example/streampb"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials${isSecure(url) ? '' : '/insecure'}"
	"google.golang.org/grpc/metadata"
)

func main() {
	security := ${isSecure(url) ? 'credentials.NewTLS(nil)' : 'insecure.NewCredentials()'}
	conn, err := grpc.NewClient(${inJson(hostOf(url))}, grpc.WithTransportCredentials(security))
	if err != nil {
		panic(err)
	}
	ctx := metadata.AppendToOutgoingContext(context.Background(), ${Object.entries(metadata)
    .flat()
    .map((text) => inJson(text))
    .join(', ')})
	request := &streampb.SubscribeRequest{Topic: ${inJson(topic)}, Format: streampb.OutputFormat_JSON}
	stream, err := streampb.NewStreamServiceClient(conn).Subscribe(ctx, request)
	if err != nil {
		panic(err)
	}
	for {
		message, err := stream.Recv()
		if err != nil {
			panic(err)
		}
		fmt.Println(message.Slot, message.Payload)
	}
}`,
  Rust: ({ url, protoUrl, topic, metadata }) =>
    `// curl -O ${inShell(protoUrl)}
// build.rs: tonic_prost_build::compile_protos("stream.proto")?
pub mod stream {
    tonic::include_proto!("keyslot.stream.v1");
}
use stream::{stream_service_client::StreamServiceClient, OutputFormat, SubscribeRequest};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut client = StreamServiceClient::connect(${inRust(url)}).await?;
    let mut request = tonic::Request::new(SubscribeRequest {
        topic: ${inRust(topic)}.into(),
        format: OutputFormat::Json.into(),
    });
${Object.entries(metadata)
  .map(([name, value]) => `    request.metadata_mut().insert(${inRust(name)}, ${inRust(value)}.parse()?);\n`)
  .join('')}    let mut messages = client.subscribe(request).await?.into_inner();
    while let Some(message) = messages.message().await? {
        println!("{} {}", message.slot, message.payload);
    }
    Ok(())
}`,
};

const isSecure = (url: string): boolean => url.startsWith('https:');

const hostOf = (url: string): string => url.replace(/^https?:\/\//, '');

/** `.getBalance`, or `['rpc.discover']`. */
const memberOf = (method: string): string => (/^\w+$/.test(method) ? `.${method}` : `[${inJs(method)}]`);

const argumentsOf = (params: readonly unknown[]): string => {
  const line = params.map((param) => lineOf(param, JS)).join(', ');
  if (line.length <= MAX_ARGUMENTS) return line;
  return `\n${params.map((param) => `  ${literalOf(param, JS, 1)},\n`).join('')}`;
};

const jsBody = (body: unknown): string => {
  const isExact = !/\d{16}/.test(printed(body));
  return isExact ? `JSON.stringify(${literalOf(body, JS, 1)})` : inJs(printed(body));
};

const inShell = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
const inJson = (text: string): string => JSON.stringify(text);
const inJs = (text: string): string =>
  `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
const inGo = (text: string): string => (text.includes('`') ? JSON.stringify(text) : `\`${text}\``);

const inRust = (text: string): string => {
  if (!/["\\]/.test(text)) return `"${text}"`;
  const hashes = '#'.repeat(
    1 + Math.max(0, ...[...text.matchAll(/"(#*)/g)].map(([, run = '']) => run.length)),
  );
  return `r${hashes}"${text}"${hashes}`;
};

/** The words of a language for a literal of plain data. */
type Words = {
  readonly text: (text: string) => string;
  readonly member: (name: string) => string;
  readonly integer: (value: bigint) => string;
  readonly constants: Readonly<Record<string, string>>;
  readonly indent: string;
};

const JS: Words = {
  text: inJs,
  member: (name) => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : inJs(name)),
  integer: (value) => `${value}n`,
  constants: { true: 'true', false: 'false', null: 'null' },
  indent: '  ',
};
const PYTHON: Words = {
  text: inJson,
  member: inJson,
  integer: String,
  constants: { true: 'True', false: 'False', null: 'None' },
  indent: '    ',
};
const JSON_WORDS: Words = {
  text: inJson,
  member: inJson,
  integer: String,
  constants: { true: 'true', false: 'false', null: 'null' },
  indent: '  ',
};

const MAX_LINE = 64;
const MAX_ARGUMENTS = 40;

/** Prints a value as JSON that fits a narrow column: what is short stays on a line. */
export const printed = (value: unknown): string => literalOf(value, JSON_WORDS, 0);

/** A literal of plain data, on one line where it is short. */
const literalOf = (value: unknown, words: Words, depth: number): string => {
  const line = lineOf(value, words);
  if (line.length + depth * words.indent.length <= MAX_LINE || typeof value !== 'object' || value === null)
    return line;
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  const inner = words.indent.repeat(depth + 1);
  const parts = Array.isArray(value)
    ? value.map((item) => literalOf(item, words, depth + 1))
    : membersOf(value).map(([name, item]) => `${words.member(name)}: ${literalOf(item, words, depth + 1)}`);
  const comma = words === JSON_WORDS ? '' : ',';
  return `${open}\n${parts.map((part) => inner + part).join(',\n')}${comma}\n${words.indent.repeat(depth)}${close}`;
};

const lineOf = (value: unknown, words: Words): string => {
  if (typeof value === 'string') return words.text(value);
  if (typeof value === 'bigint') return words.integer(value);
  if (Array.isArray(value)) return `[${value.map((item) => lineOf(item, words)).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return words.constants[String(value)] ?? String(value);
  const members = membersOf(value).map(([name, item]) => `${words.member(name)}: ${lineOf(item, words)}`);
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
};

const membersOf = (value: object): readonly (readonly [string, unknown])[] =>
  Object.entries(value).filter(([, item]) => item !== undefined);
