import { refuseUndocumented } from "./every-test.ts";
// Loads the validator before a test begins: it must not take the time of the first one.
import "./problems.ts";

refuseUndocumented();
