/** A managed wallet that a client received: its line came whole, or the answer to its request. */
export type ReceivedWallet = { readonly wallet_id: string; readonly address: string };

/** The end of an answer for its reader. */
export type Ending =
  | { readonly kind: 'whole'; readonly announced: number }
  /** The connection broke: before the answer, or in the middle of it. */
  | { readonly kind: 'broken' }
  | { readonly kind: 'refused'; readonly status: number; readonly code: string };

/** Reads a JSONL answer; each wallet is told as soon as its line is there. */
export async function readWallets(
  asked: Promise<Response>,
  tell: (wallet: ReceivedWallet) => void,
): Promise<Ending> {
  try {
    const answer = await asked;
    if (!answer.ok) return refusalOf(answer);
    const decoder = new TextDecoder();
    let rest = '';
    for await (const bytes of answer.body ?? []) {
      const lines = (rest + decoder.decode(bytes, { stream: true })).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) tell(JSON.parse(line) as ReceivedWallet);
    }
    if (rest !== '') throw new SyntaxError(`the last line is cut: ${rest}`);
    return { kind: 'whole', announced: Number(answer.headers.get('x-wallet-count')) };
  } catch (error) {
    return brokenBy(error);
  }
}

/** Reads an answer in JSON; undefined where the connection broke before it was there. */
export async function readJson<T>(asked: Promise<Response>): Promise<T | undefined> {
  try {
    const answer = await asked;
    if (!answer.ok) throw new Error(JSON.stringify(await refusalOf(answer)));
    return (await answer.json()) as T;
  } catch (error) {
    brokenBy(error);
    return undefined;
  }
}

async function refusalOf(answer: Response): Promise<Ending> {
  const { code } = (await answer.json()) as { code: string };
  return { kind: 'refused', status: answer.status, code };
}

/** Fetch throws a TypeError where a connection breaks or cannot be made; any other error is a fault. */
function brokenBy(error: unknown): Ending {
  if (error instanceof TypeError) return { kind: 'broken' };
  throw error;
}
