// The example for users without documents at hand.

export const EXAMPLE_QUESTION =
  "How tall was the Saturn V, which mission was struck by lightning, and how many missions landed?";

export const EXAMPLE = [
  {
    file_name: "moon-landings.md",
    page_number: 2,
    chunk_index: 2,
    text: "The Apollo programme used the Saturn V, a rocket of three stages that was 110.6 metres tall. It flew thirteen times between 1967 and 1973. The spacecraft had three parts: a command module for the crew of three, a service module with the main engine, and a lunar module for two.",
  },
  {
    file_name: "moon-landings.md",
    page_number: 3,
    chunk_index: 3,
    text: "Apollo 12 was struck by lightning twice during the first minute of its flight and continued all the same. It landed within walking distance of the probe Surveyor 3, and the crew took parts of the probe home.",
  },
  {
    file_name: "moon-landings.md",
    page_number: 4,
    chunk_index: 4,
    text: "Apollo 13 was launched on 11 April 1970. Two days later an oxygen tank in the service module exploded. The crew did not land on the Moon; they used the lunar module as a lifeboat.",
  },
  {
    file_name: "apollo-profile.json",
    chunk_type: "artifact",
    is_generated_artifact: true,
    artifact_kind: "programme profile",
    text: "Apollo was the American programme that landed people on the Moon. Its rocket was the Saturn V; six missions landed between 1969 and 1972.",
  },
];
