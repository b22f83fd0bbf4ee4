import { useMutation } from '@tanstack/react-query';
import { awaitSignature } from '../../calls/await-signature.ts';
import { callLedger } from '../../calls/call-ledger.ts';
import { Button } from '../../parts/button.tsx';
import { ErrorNotice } from '../../parts/error-notice.tsx';
import { nameOf, type Network } from '../../parts/networks.ts';
import { useAnnounce } from '../../shell/announcements.tsx';
import { explainTransactionError } from '../explorer/transaction/explain-error.ts';
import { useStoppable } from '../../parts/use-stoppable.ts';

type AirdropButtonProps = {
  readonly network: Network;
  readonly address: string;
  readonly onArrived: () => void;
};

const LAMPORTS = 1_000_000_000n;

/** Asks a test network for 1 SOL and waits until it has arrived. Says so where the network gives none. */
export function AirdropButton({ network, address, onArrived }: AirdropButtonProps) {
  const announce = useAnnounce();
  const { begin } = useStoppable();
  const airdrop = useMutation({
    mutationFn: () => requestAirdrop(network.rpc_path, address, begin()),
    onSuccess: () => {
      announce('1 SOL has arrived.');
      onArrived();
    },
  });
  return (
    <>
      <Button
        type="button"
        isBusy={airdrop.isPending}
        aria-label={`Airdrop 1 SOL on ${nameOf(network)}`}
        onClick={() => airdrop.mutate()}
      >
        Airdrop 1 SOL
      </Button>
      <ErrorNotice
        error={airdrop.error}
        operation={['Blockhash, ledger, node state', 'requestAirdrop', 'ledger']}
      />
    </>
  );
}

async function requestAirdrop(rpcPath: string, address: string, leaving: AbortSignal): Promise<void> {
  const signature = await callLedger(rpcPath, (ledger) =>
    ledger.requestAirdrop(address, LAMPORTS, { commitment: 'confirmed' }),
  );
  const failure = await awaitSignature(rpcPath, signature, leaving);
  if (failure !== null) throw new Error(`The airdrop failed: ${explainTransactionError(failure)}`);
}
