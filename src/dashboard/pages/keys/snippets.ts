/** A program of a few lines that calls the server. */
export type KeySnippet = { readonly title: string; readonly code: string };

/** The address of a network, and an API key for it. */
export type SnippetTarget = { readonly baseUrl: string; readonly rpcPath: string; readonly apiKey: string };

/** Returns programs that read the current slot, ready to run. */
export function keySnippets({ baseUrl, rpcPath, apiKey }: SnippetTarget): readonly KeySnippet[] {
  const url = `${baseUrl}${rpcPath}?apikey=${apiKey}`;
  const call = '{"jsonrpc":"2.0","id":1,"method":"getSlot"}';
  return [
    {
      title: '@solana/kit',
      code: `import { createSolanaRpc } from '@solana/kit';

const rpc = createSolanaRpc('${url}');
console.log(await rpc.getSlot().send());`,
    },
    {
      title: '@solana/web3.js 1.x',
      code: `import { Connection } from '@solana/web3.js';

const connection = new Connection('${url}', 'confirmed');
console.log(await connection.getSlot());`,
    },
    {
      title: 'curl',
      code: `curl -sS '${url}' \\
  -H 'content-type: application/json' \\
  -d '${call}'`,
    },
    {
      title: 'Python',
      code: `import json, urllib.request

request = urllib.request.Request(
    "${baseUrl}${rpcPath}",
    json.dumps({"jsonrpc": "2.0", "id": 1, "method": "getSlot"}).encode(),
    {"content-type": "application/json", "x-api-key": "${apiKey}"},
)
print(json.load(urllib.request.urlopen(request))["result"])`,
    },
    {
      title: 'Go',
      code: `package main

import (
	"fmt"
	"io"
	"net/http"
	"strings"
)

func main() {
	body := strings.NewReader(\`${call}\`)
	response, err := http.Post("${url}", "application/json", body)
	if err != nil {
		panic(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		panic(err)
	}
	fmt.Println(string(text))
}`,
    },
  ];
}
