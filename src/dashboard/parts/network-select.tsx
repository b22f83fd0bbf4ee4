import { Select } from './field.tsx';
import { nameOf, type Network, slugOf } from './networks.ts';

type NetworkSelectProps = {
  readonly networks: readonly Network[];
  readonly value: Network;
  readonly onChange: (network: Network) => void;
};

/** A choice of networks; renders nothing if there is only one. */
export function NetworkSelect({ networks, value, onChange }: NetworkSelectProps) {
  if (networks.length < 2) return null;
  return (
    <Select
      label="Network"
      value={slugOf(value)}
      onChange={(event) => {
        const chosen = networks.find((network) => slugOf(network) === event.currentTarget.value);
        if (chosen !== undefined) onChange(chosen);
      }}
      options={networks.map((network) => ({ value: slugOf(network), text: nameOf(network) }))}
    />
  );
}
