import { startScriptedNode } from '../server/scripted-node.ts';
import { startGateway } from '../server/start-gateway.ts';

/** The documents as clients get them, as JSON text. */
export type ServedDocuments = {
  readonly openrpc: string;
  readonly wallets: string;
  readonly account: string;
};

/** Reads every document of a server that runs for it. */
export async function readServedDocuments(): Promise<ServedDocuments> {
  const node = await startScriptedNode();
  const gateway = await startGateway({ nodeUrls: [node.url] });
  const read = async (path: string): Promise<string> => (await fetch(`${gateway.baseUrl}${path}`)).text();
  try {
    return {
      openrpc: await read('/openrpc.json'),
      wallets: await read('/v1/openapi.json'),
      account: await read('/account/v1/openapi.json'),
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
