// The console in a real browser with real processes: a story for each view, hostile texts, long lists, and pictures.
import { after, before, describe } from "node:test";
import { tellOfAna, type Seeded } from "./ana.js";
import { tellGraph } from "./graph.js";
import { tellHostile } from "./hostile.js";
import { House } from "./house.js";
import { tellKeys } from "./keys.js";
import { tellLong } from "./long.js";
import { tellPictures } from "./pictures.js";
import { tellServed } from "./served.js";
import { TOUCHES, tellUsers } from "./users.js";
import { tellViews } from "./views.js";

export interface Told {
  house: House;
  seeded: Seeded;
}

describe("the console", () => {
  const told = {} as Told;

  before(async () => {
    told.house = await House.open(TOUCHES);
    told.seeded = await tellOfAna(told.house.api, "ana");
  });

  after(() => told.house.close());

  tellServed(told);
  tellUsers(told);
  tellPictures(told);
  tellViews(told);
  tellGraph(told);
  tellHostile(told);
  tellLong(told);
});

describe("the console of a server that asks for keys", tellKeys);
