// Search and the type, kept in the address.
import { t } from "../../i18n";
import { Icon } from "../../ui/icon";
import { filterValue, setFilter } from "./shown";

export function Narrowed() {
  const words = t.value.graph;
  return (
    <div class="graph-narrow">
      <div class="search-field">
        <Icon name="search" />
        <input
          type="search"
          class="input"
          aria-label={words.search}
          placeholder={words.placeholder}
          maxLength={64}
          value={filterValue("q")}
          onInput={(event) => setFilter("q", event.currentTarget.value)}
        />
      </div>
      <select class="input" aria-label={words.type} value={filterValue("type")} onChange={(event) => setFilter("type", event.currentTarget.value)}>
        <option value="">{words.anyType}</option>
        {Object.entries(t.value.words.entityType).map(([name, said]) => <option key={name} value={name}>{said}</option>)}
      </select>
    </div>
  );
}
