import { useQuery, useQueryClient, useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation, Link } from 'wouter';
import type { WalletMetadata, SignRequest } from '../../../../generated/wallets/types.ts';
import { wallets } from '../../calls/credentials.ts';
import { failureCode } from '../../calls/failure-code.ts';
import { Button } from '../../parts/button.tsx';
import { ErrorNotice } from '../../parts/error-notice.tsx';
import { Page } from '../../parts/page.tsx';
import { PageFrame } from '../../parts/page-frame.tsx';
import { type Tab, Tabs } from '../../parts/tabs.tsx';
import { useScopes, useSession } from '../../session/session.tsx';
import { DestroyDialog } from './destroy-dialog.tsx';
import { walletName } from './wallet-name.ts';
import { EmptyState } from '../../parts/empty-state.tsx';
import { AddressSignatures } from '../../parts/address-signatures.tsx';
import { NetworkSelect } from '../../parts/network-select.tsx';
import { referenceOf } from '../../calls/places.ts';
import { type Network, explorerPath, isTestNetwork, nameOf } from '../../parts/networks.ts';
import { SendDialog } from './send/send-dialog.tsx';
import { Facts } from '../../parts/facts.tsx';
import { KeyText } from '../../parts/key-text.tsx';
import { Time } from '../../parts/time.tsx';
import { ListPage } from '../../parts/list-page.tsx';
import { DeriveDialog } from './derive-dialog.tsx';
import { Sol } from '../../parts/number.tsx';
import { useLiveBalance } from './use-balance.ts';
import { awaitSignature } from '../../calls/await-signature.ts';
import { callLedger } from '../../calls/call-ledger.ts';
import { useAnnounce } from '../../parts/announcements.tsx';
import { explainTransactionError } from '../explorer/transaction/explain-error.ts';
import { useStoppable } from '../../parts/use-stoppable.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { Select, TextArea } from '../../parts/field.tsx';
import { readForm } from '../../parts/read-form.ts';
import { CostNote } from './cost-note.tsx';
import type { Column } from '../../parts/table.tsx';

type View = 'transactions' | 'children' | undefined;

/** A managed wallet, with its actions. */
export function WalletPage({ walletId, view }: { readonly walletId: string; readonly view: View }) {
  const wallet = useQuery({
    queryKey: ['wallet', walletId],
    queryFn: async ({ signal }) => (await wallets()).getWallet(walletId, { signal }),
    staleTime: 60_000,
  });
  if (wallet.isPending) return <PageFrame />;
  if (wallet.data !== undefined) return <WalletViews wallet={wallet.data} view={view} />;
  if (failureCode(wallet.error) === 'wallet_not_found') return <MissingWallet />;
  return (
    <Page title="Wallet">
      <ErrorNotice error={wallet.error} operation={['Managed wallets', 'getWallet', 'wallets']}>
        <Button type="button" onClick={() => void wallet.refetch()}>
          Try again
        </Button>
      </ErrorNotice>
    </Page>
  );
}

function WalletViews({ wallet, view }: { readonly wallet: WalletMetadata; readonly view: View }) {
  const [shown, setShown] = useState<'sign' | 'destroy'>();
  const [, navigate] = useLocation();
  const [maySign, mayDestroy] = [useScopes('wallets:sign'), useScopes('wallets:destroy')];
  const close = () => setShown(undefined);
  return (
    <Page
      title={walletName(wallet)}
      lead={wallet.wallet_id}
      actions={
        <>
          {maySign && (
            <Button type="button" onClick={() => setShown('sign')}>
              Sign a message
            </Button>
          )}
          {mayDestroy && (
            <Button type="button" kind="danger" onClick={() => setShown('destroy')}>
              Destroy
            </Button>
          )}
        </>
      }
    >
      <Tabs label="Views of the wallet" tabs={tabsOf(wallet)} />
      {view === undefined && (
        <>
          <WalletFacts wallet={wallet} />
          <Balances wallet={wallet} />
        </>
      )}
      {view === 'transactions' && <WalletTransactions address={wallet.address} />}
      {view === 'children' && <ChildList master={wallet} />}
      {shown === 'sign' && <SignDialog wallet={wallet} onClose={close} />}
      {shown === 'destroy' && (
        <DestroyDialog wallet={wallet} onDestroyed={() => navigate('/wallets')} onClose={close} />
      )}
    </Page>
  );
}

function tabsOf({ wallet_id, derivation_path }: WalletMetadata): readonly Tab[] {
  const home = `/wallets/${wallet_id}`;
  return [
    { href: home, title: 'Wallet' },
    { href: `${home}/transactions`, title: 'Transactions' },
    ...(derivation_path === 'm' ? [{ href: `${home}/children`, title: 'Children' }] : []),
  ];
}

/** Shown for a wallet that the account does not have. */
function MissingWallet() {
  return (
    <Page title="Wallet not found">
      <EmptyState title="This account does not have that wallet">
        <p>It was destroyed, it never existed, or it belongs to another account.</p>
        <p>
          <Link href="/wallets">All wallets</Link>
        </p>
      </EmptyState>
    </Page>
  );
}

/** The transactions that name a wallet, on one network. */
function WalletTransactions({ address }: { readonly address: string }) {
  const { networks } = useSession();
  const [chosen, setChosen] = useState(networks[0]);
  if (chosen === undefined) return <p className="muted">This server serves no network.</p>;
  return (
    <section className="panel" aria-label="Transactions">
      {networks.length > 1 && (
        <div className="network-choice">
          <NetworkSelect networks={networks} value={chosen} onChange={setChosen} />
        </div>
      )}
      <AddressSignatures network={chosen} address={address} />
    </section>
  );
}

/** The live balances of a wallet on each network. */
function Balances({ wallet }: { readonly wallet: WalletMetadata }) {
  const { networks } = useSession();
  const maySign = useScopes('wallets:sign');
  const [sending, setSending] = useState<Network>();
  return (
    <section className="panel" aria-labelledby="balances">
      <div className="panel-head">
        <h2 id="balances">Balances</h2>
        <a href={referenceOf('Accounts', 'getBalance', 'ledger')}>Reference</a>
      </div>
      <div className="balance-rows">
        {networks.map((network) => (
          <BalanceRow
            key={network.rpc_path}
            network={network}
            address={wallet.address}
            {...(maySign && { onSend: () => setSending(network) })}
          />
        ))}
      </div>
      {sending !== undefined && (
        <SendDialog wallet={wallet} network={sending} onClose={() => setSending(undefined)} />
      )}
    </section>
  );
}

/** The facts of a wallet. */
function WalletFacts({ wallet }: { readonly wallet: WalletMetadata }) {
  const { address, wallet_id, derivation_path, master_wallet_id, key_protection, created_at } = wallet;
  return (
    <section className="panel" aria-labelledby="wallet-facts">
      <div className="panel-head">
        <h2 id="wallet-facts">Wallet</h2>
        <a href={referenceOf('Managed wallets', 'getWallet', 'wallets')}>Reference</a>
      </div>
      <Facts
        facts={[
          { name: 'Address', value: <KeyText text={address} noun="address" isWhole />, isWide: true },
          { name: 'Wallet id', value: <KeyText text={wallet_id} noun="wallet id" isWhole /> },
          { name: 'Custody', value: 'managed' },
          { name: 'Path', value: <DerivationPath path={derivation_path} /> },
          master_wallet_id === undefined
            ? undefined
            : {
                name: 'Master',
                value: <Link href={`/wallets/${master_wallet_id}`}>{master_wallet_id}</Link>,
              },
          { name: 'Created', value: <Time at={created_at} /> },
          { name: 'Key protection', value: key_protection, isWide: true },
        ]}
      />
    </section>
  );
}

/** The wallets that were derived from a master. */
function ChildList({ master }: { readonly master: WalletMetadata }) {
  const [isDeriving, setDeriving] = useState(false);
  const mayCreate = useScopes('wallets:create');
  const { wallet_id } = master;
  return (
    <section className="panel" aria-labelledby="children">
      <div className="panel-head">
        <h2 id="children">Children</h2>
        {mayCreate && (
          <Button type="button" kind="primary" onClick={() => setDeriving(true)}>
            Derive wallets
          </Button>
        )}
      </div>
      <ListPage
        caption="Children"
        queryKey={['wallets', { master_wallet_id: wallet_id }]}
        read={async (query, signal) =>
          (await wallets()).listWallets({ ...query, master_wallet_id: wallet_id }, { signal })
        }
        rowsOf={(page) => page.wallets}
        columns={WALLET_COLUMNS}
        keyOf={(child) => child.wallet_id}
        operation={['Managed wallets', 'listWallets', 'wallets']}
        empty={{ title: 'No children yet', children: <p>Derive a range of wallets from this master.</p> }}
      />
      {isDeriving && <DeriveDialog master={master} onClose={() => setDeriving(false)} />}
    </section>
  );
}

type BalanceRowProps = {
  readonly network: Network;
  readonly address: string;
  /** Absent if the member may not sign. */
  readonly onSend?: () => void;
};

/** The balance of an address on one network, with its actions there. */
function BalanceRow({ network, address, onSend }: BalanceRowProps) {
  const balance = useLiveBalance(network.rpc_path, address);
  const client = useQueryClient();
  const isTest = isTestNetwork(network);
  return (
    <div className="balance-row">
      <div>
        <p className="muted">
          <Link href={explorerPath(network, address)}>{nameOf(network)}</Link>
        </p>
        <p className="balance-amount" aria-live="polite">
          {balance.data === undefined ? (
            <span className="number muted">{balance.isError ? 'not known' : '…'}</span>
          ) : (
            <Sol lamports={balance.data} />
          )}
        </p>
      </div>
      {isTest && (
        <div className="actions">
          <AirdropButton
            network={network}
            address={address}
            onArrived={() => void client.invalidateQueries({ queryKey: ['ledger', network.rpc_path] })}
          />
          {onSend !== undefined && (
            <Button type="button" aria-label={`Send on ${nameOf(network)}`} onClick={onSend}>
              Send
            </Button>
          )}
        </div>
      )}
      <ErrorNotice error={balance.error} operation={['Accounts', 'getBalance', 'ledger']} />
    </div>
  );
}

type AirdropButtonProps = {
  readonly network: Network;
  readonly address: string;
  readonly onArrived: () => void;
};

const LAMPORTS = 1_000_000_000n;

/** Requests 1 SOL from a test network and waits for its arrival. Shows the refusal of a network without airdrops. */
function AirdropButton({ network, address, onArrived }: AirdropButtonProps) {
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

type Encoding = NonNullable<SignRequest['encoding']>;

const ENCODINGS: readonly { readonly value: Encoding; readonly text: string }[] = [
  { value: 'utf8', text: 'Text, signed as UTF-8' },
  { value: 'base64', text: 'Bytes in base-64' },
  { value: 'base58', text: 'Bytes in base-58' },
  { value: 'hex', text: 'Bytes in hexadecimal' },
];

type SignDialogProps = { readonly wallet: WalletMetadata; readonly onClose: () => void };

/** Signs a message with a managed wallet and shows the signature. */
function SignDialog({ wallet, onClose }: SignDialogProps) {
  const [encoding, setEncoding] = useState<Encoding>('utf8');
  const sign = useMutation({
    mutationFn: async (body: SignRequest) => (await wallets()).signWithWallet(wallet.wallet_id, body),
  });
  return (
    <Dialog
      title="Sign a message"
      description="Anyone with a signed transaction can send it. Only sign messages that you understand."
      onClose={onClose}
    >
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          sign.mutate({ message: readForm(event.currentTarget, 'message'), encoding });
        }}
      >
        <TextArea name="message" label="Message" rows={4} spellCheck={false} required onChange={sign.reset} />
        <Select
          label="Format"
          value={encoding}
          options={ENCODINGS}
          onChange={(event) => {
            const chosen = ENCODINGS.find(({ value }) => value === event.currentTarget.value);
            if (chosen !== undefined) setEncoding(chosen.value);
            sign.reset();
          }}
        />
        <CostNote
          price="managed_signing"
          per="A signature"
          operation={['Managed wallets', 'signWithWallet']}
        />
        {sign.data !== undefined && (
          <div className="wallet-named" role="status">
            <span className="muted">Signature, in base-58</span>
            <KeyText text={sign.data.signature} noun="signature" isWhole />
          </div>
        )}
        <ErrorNotice error={sign.error} operation={['Managed wallets', 'signWithWallet', 'wallets']} />
        <div className="actions">
          <Button type="button" onClick={onClose}>
            Close
          </Button>
          <Button type="submit" kind="primary" isBusy={sign.isPending}>
            Sign
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

/** Columns of a list of managed wallets. */
export const WALLET_COLUMNS: readonly Column<WalletMetadata>[] = [
  {
    title: 'Wallet',
    share: 1.4,
    show: (wallet) => (
      <span className="cell-lines">
        <Link href={`/wallets/${wallet.wallet_id}`}>{walletName(wallet)}</Link>
        <code className="muted">{wallet.wallet_id}</code>
      </span>
    ),
  },
  { title: 'Address', share: 1.2, show: ({ address }) => <KeyText text={address} noun="address" /> },
  { title: 'Path', show: ({ derivation_path }) => <DerivationPath path={derivation_path} /> },
  { title: 'Created', show: ({ created_at }) => <Time at={created_at} /> },
];

/** The derivation path of a wallet below its master. */
function DerivationPath({ path }: { readonly path: string | undefined }) {
  if (path === undefined) return <span className="muted">not derived</span>;
  return path === 'm' ? <>HD master</> : <code>{path}</code>;
}
