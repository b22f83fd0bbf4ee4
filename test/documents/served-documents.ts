import { startScriptedNode } from '../server/scripted-node.ts';
import { startGateway } from '../server/start-gateway.ts';

/** The documents as clients get them, as JSON text. */
export type ServedDocuments = { readonly openrpc: string; readonly ledger: string; readonly wallets: string };

/** Reads every document of a server that runs for it. */
export async function readServedDocuments(): Promise<ServedDocuments> {
  const node = await startScriptedNode();
  const gateway = await startGateway({ nodeUrls: [node.url] });
  const read = async (path: string): Promise<string> => (await fetch(`${gateway.baseUrl}${path}`)).text();
  try {
    return {
      openrpc: await read('/openrpc.json'),
      ledger: await read('/docs/ledger.json'),
      wallets: await read('/v1/openapi.json'),
    };
  } finally {
    await gateway.close();
    await node.close();
  }
}

export type Example = { readonly value: unknown };
export type Content = {
  readonly schema: object;
  readonly examples?: Readonly<Record<string, Example>>;
};
export type Contents = Readonly<Record<string, Content>>;
export type OpenapiOperation = {
  readonly requestBody?: { readonly content: Contents };
  readonly responses: Readonly<Record<string, { readonly content?: Contents }>>;
  readonly parameters?: readonly { readonly schema: object; readonly example?: unknown }[];
};
export type OpenapiDocument = {
  readonly paths: Readonly<Record<string, Readonly<Record<string, OpenapiOperation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, { readonly examples?: readonly unknown[] }>>;
  };
};

/** The requests of a document that show how they are refused: those whose example of the same name is no result. */
export function refusedExamples({ paths }: OpenapiDocument): ReadonlySet<string> {
  const refused = Object.entries(paths).flatMap(([path, operations]) =>
    Object.values(operations).flatMap(({ requestBody, responses }) => {
      const answers = responses[200]?.content?.['application/json']?.examples ?? {};
      const names = Object.keys(requestBody?.content['application/json']?.examples ?? {});
      return names.filter((name) => !isResult(answers[name]?.value)).map((name) => `${path} ${name}`);
    }),
  );
  return new Set(refused);
}

function isResult(answer: unknown): boolean {
  return typeof answer === 'object' && answer !== null && 'result' in answer;
}
