import { CONFIG_SETTINGS } from '../../../generated/config.ts';
import { closestName } from '../did-you-mean.ts';

const PREFIX = 'KEYSLOT_';
/** Variables of commands, which are not settings of a server. */
const OF_COMMANDS = [
  ...['CONTRACT_APIKEY', 'CONTRACT_SESSION', 'CONTRACT_TOKEN', 'CONTRACT_TOTP'],
  ...['LAB_DATABASE_URL', 'LAB_REDIS_URL', 'MOVE_TO', 'TOKEN'],
];
/** Variables of a checkout's tests. */
const OF_TESTS = /^KEYSLOT_(?:TEST_|FUZZ_SEED$)/;

/**
 * Returns a warning for each variable that has the prefix of Keyslot's settings but is not a setting, with the name that it may mean; no
 * value is shown.
 */
export function unknownVariables(env: Readonly<Record<string, string | undefined>>): readonly string[] {
  const known = [
    ...OF_COMMANDS,
    ...CONFIG_SETTINGS.flatMap(({ env: name }) => name?.slice(PREFIX.length) ?? []),
  ];
  return Object.keys(env)
    .filter((name) => name.startsWith(PREFIX) && !OF_TESTS.test(name))
    .filter((name) => !known.includes(name.slice(PREFIX.length)))
    .map((name) => {
      const meant = closestName(name.slice(PREFIX.length), known);
      return `${name} is not a setting and has no effect${meant === undefined ? '' : `; did you mean ${PREFIX}${meant}?`}`;
    });
}
