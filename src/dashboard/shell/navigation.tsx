import { Link, useRoute } from 'wouter';
import { type PageRoute, SECTIONS } from '../pages/routes.ts';
import { Icon } from '../parts/icon.tsx';

/** Links to the pages that the member may open, in sections. */
export function Navigation({ routes }: { readonly routes: readonly PageRoute[] }) {
  return (
    <nav aria-label="Pages" className="navigation">
      {SECTIONS.map((section) => {
        const listed = routes.filter(({ navigation }) => navigation?.section === section);
        if (listed.length === 0) return null;
        return (
          <div key={section} className="navigation-section">
            <p id={`section-${section}`}>{section}</p>
            <ul aria-labelledby={`section-${section}`}>
              {listed.map((route) => (
                <li key={route.path}>
                  <Entry route={route} />
                </li>
              ))}
            </ul>
          </div>
        );
      })}
    </nav>
  );
}

function Entry({ route: { path, title, navigation } }: { readonly route: PageRoute }) {
  const href = path.replace(/(?<=.)\/:.*$/, '');
  const [isCurrent] = useRoute(href === '/' ? '/' : `${href}/*?`);
  return (
    <Link href={href} aria-current={isCurrent ? 'page' : undefined}>
      {navigation !== undefined && <Icon name={navigation.icon} />}
      {title}
    </Link>
  );
}
